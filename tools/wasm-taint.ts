import binaryen from 'binaryen';

/** Where secrets come from: whatever is loaded from memory, or only what is loaded as a vector. */
export type SecretSource = 'every load' | 'vector loads';

export interface TaintQuestion {
  /** Exported functions that handle secrets; their parameters are public (addresses, counts). */
  readonly exports: readonly string[];
  readonly source: SecretSource;
}

/** A place where time or addresses would depend on a secret. */
export interface Violation {
  readonly function: string;
  readonly kind: 'branch' | 'select' | 'address' | 'length' | 'division' | 'indirect call' | 'escape';
  /** The operand that is secret, as text. */
  readonly operand: string;
}

/**
 * Follows secrets through everything the exports reach, across calls and globals, until nothing changes, and lists where one
 * decides a branch, a select, an address, a length or a division. With `vector loads`, a secret stored by a scalar store is
 * listed too, since the load that brings it back would not be followed. Unknown instructions are an error, not a pass.
 */
export function secretDependence(binary: Uint8Array, question: TaintQuestion): readonly Violation[] {
  const module = binaryen.readBinary(binary);
  try {
    // One local, one assignment: what is found for a local then holds wherever it is read.
    module.runPasses(['ssa']);
    return new TaintAnalysis(module, question).run();
  } finally {
    module.dispose();
  }
}

/** Judges one kind of expression: whether its value is secret. */
type Rule = (info: never) => boolean;

const PUBLIC = new Set<number>([binaryen.NopId, binaryen.UnreachableId, binaryen.ConstId, binaryen.MemorySizeId]);

const DIVISIONS = new Set<number>([
  binaryen.DivSInt32,
  binaryen.DivUInt32,
  binaryen.RemSInt32,
  binaryen.RemUInt32,
  binaryen.DivSInt64,
  binaryen.DivUInt64,
  binaryen.RemSInt64,
  binaryen.RemUInt64,
]);

class TaintAnalysis {
  readonly #module: binaryen.Module;
  readonly #question: TaintQuestion;
  /** Secret locals, results, globals and block values, by name. */
  readonly #secret = new Set<string>();
  readonly #reached = new Set<string>();
  readonly #violations = new Map<string, Violation>();
  readonly #rules: ReadonlyMap<number, Rule>;
  #function = '';

  constructor(module: binaryen.Module, question: TaintQuestion) {
    this.#module = module;
    this.#question = question;
    this.#rules = new Map([...this.#valueRules(), ...this.#controlRules(), ...this.#memoryRules()]);
  }

  run(): readonly Violation[] {
    for (const name of this.#question.exports) this.#reached.add(this.#functionOf(name));
    let before: number;
    do {
      before = this.#secret.size + this.#reached.size;
      for (const name of this.#reached) this.#visitFunction(name);
    } while (this.#secret.size + this.#reached.size > before);
    return [...this.#violations.values()];
  }

  #functionOf(exported: string): string {
    const found = this.#module.getExport(exported);
    if (!found) throw new Error(`the module exports no "${exported}"`);
    return binaryen.getExportInfo(found).value;
  }

  #visitFunction(name: string): void {
    this.#function = name;
    const { base, body } = binaryen.getFunctionInfo(this.#module.getFunction(name));
    if (base) throw new Error(`"${name}" is imported: what it does with secrets cannot be judged`);
    if (this.#judge(body)) this.#secret.add(`result ${name}`);
  }

  /** Whether the expression's value is secret; notes what it does with secrets on the way. */
  #judge(expression: binaryen.ExpressionRef): boolean {
    if (!expression) return false;
    const id = binaryen.getExpressionId(expression);
    if (PUBLIC.has(id)) return false;
    const rule = this.#rules.get(id);
    if (!rule) throw new Error(`no rule judges ${binaryen.emitText(expression)}`);
    return rule(binaryen.getExpressionInfo(expression) as never);
  }

  #any(...expressions: binaryen.ExpressionRef[]): boolean {
    return expressions.map((expression) => this.#judge(expression)).includes(true);
  }

  #mark(name: string, secret: boolean): boolean {
    if (secret) this.#secret.add(name);
    return this.#secret.has(name);
  }

  #require(kind: Violation['kind'], operand: binaryen.ExpressionRef): void {
    if (this.#judge(operand)) this.#report(kind, operand);
  }

  #report(kind: Violation['kind'], operand: binaryen.ExpressionRef): void {
    const violation = { function: this.#function, kind, operand: binaryen.emitText(operand).slice(0, 200) };
    this.#violations.set(Object.values(violation).join(' '), violation);
  }

  #local(index: number): string {
    return `local ${this.#function} ${index}`;
  }

  #label(name: string | null): string {
    return `label ${this.#function} ${name}`;
  }

  #valueRules(): [number, Rule][] {
    return [
      [binaryen.LocalGetId, ({ index }: binaryen.LocalGetInfo) => this.#secret.has(this.#local(index))],
      [binaryen.LocalSetId, ({ index, value }: binaryen.LocalSetInfo) => this.#mark(this.#local(index), this.#judge(value))],
      [binaryen.GlobalGetId, ({ name }: binaryen.GlobalGetInfo) => this.#secret.has(`global ${name}`)],
      [binaryen.GlobalSetId, ({ name, value }: binaryen.GlobalSetInfo) => this.#mark(`global ${name}`, this.#judge(value))],
      [binaryen.UnaryId, ({ value }: binaryen.UnaryInfo) => this.#judge(value)],
      [binaryen.BinaryId, (info: binaryen.BinaryInfo) => this.#judgeBinary(info)],
      [binaryen.DropId, ({ value }: binaryen.DropInfo) => this.#judge(value)],
      [binaryen.SIMDExtractId, ({ vec }: binaryen.SIMDExtractInfo) => this.#judge(vec)],
      [binaryen.SIMDReplaceId, ({ vec, value }: binaryen.SIMDReplaceInfo) => this.#any(vec, value)],
      [binaryen.SIMDShuffleId, ({ left, right }: binaryen.SIMDShuffleInfo) => this.#any(left, right)],
      [binaryen.SIMDTernaryId, ({ a, b, c }: binaryen.SIMDTernaryInfo) => this.#any(a, b, c)],
      [binaryen.SIMDShiftId, ({ vec, shift }: binaryen.SIMDShiftInfo) => this.#any(vec, shift)],
    ];
  }

  #judgeBinary({ op, left, right }: binaryen.BinaryInfo): boolean {
    if (DIVISIONS.has(op)) {
      this.#require('division', left);
      this.#require('division', right);
    }
    return this.#any(left, right);
  }

  #controlRules(): [number, Rule][] {
    return [
      [binaryen.BlockId, (info: binaryen.BlockInfo) => this.#judgeBlock(info)],
      [binaryen.LoopId, ({ body }: binaryen.LoopInfo) => this.#judge(body)],
      [
        binaryen.IfId,
        ({ condition, ifTrue, ifFalse }: binaryen.IfInfo) => {
          this.#require('branch', condition);
          return this.#any(ifTrue, ifFalse);
        },
      ],
      [
        binaryen.SelectId,
        ({ condition, ifTrue, ifFalse }: binaryen.SelectInfo) => {
          // Engines may compile it to a jump.
          this.#require('select', condition);
          return this.#any(ifTrue, ifFalse, condition);
        },
      ],
      [
        binaryen.BreakId,
        ({ name, condition, value }: binaryen.BreakInfo) => {
          this.#require('branch', condition);
          return this.#mark(this.#label(name), this.#judge(value));
        },
      ],
      [
        binaryen.SwitchId,
        ({ names, defaultName, condition, value }: binaryen.SwitchInfo) => {
          this.#require('branch', condition);
          const secret = this.#judge(value);
          for (const name of [...names, defaultName]) this.#mark(this.#label(name), secret);
          return secret;
        },
      ],
      [binaryen.ReturnId, ({ value }: binaryen.ReturnInfo) => this.#mark(`result ${this.#function}`, this.#judge(value))],
      [binaryen.CallId, ({ target, operands }: binaryen.CallInfo) => this.#judgeCall(target, operands)],
      [
        binaryen.CallIndirectId,
        ({ target }: binaryen.CallIndirectInfo) => {
          this.#report('indirect call', target);
          return true;
        },
      ],
    ];
  }

  #judgeBlock({ name, children }: binaryen.BlockInfo): boolean {
    const values = children.map((child) => this.#judge(child));
    return values.at(-1) === true || this.#secret.has(this.#label(name));
  }

  #judgeCall(target: string, operands: readonly binaryen.ExpressionRef[]): boolean {
    this.#reached.add(target);
    operands.forEach((operand, index) => {
      this.#mark(`local ${target} ${index}`, this.#judge(operand));
    });
    return this.#secret.has(`result ${target}`);
  }

  #memoryRules(): [number, Rule][] {
    return [
      [
        binaryen.LoadId,
        ({ ptr, type }: binaryen.LoadInfo) => {
          this.#require('address', ptr);
          return this.#question.source === 'every load' || type === binaryen.v128;
        },
      ],
      [
        binaryen.StoreId,
        ({ ptr, value }: binaryen.StoreInfo) => {
          this.#require('address', ptr);
          const vector = binaryen.getExpressionType(value) === binaryen.v128;
          if (this.#judge(value) && this.#question.source === 'vector loads' && !vector) this.#report('escape', value);
          return false;
        },
      ],
      [
        binaryen.SIMDLoadId,
        ({ ptr }: binaryen.SIMDLoadInfo) => {
          this.#require('address', ptr);
          return true;
        },
      ],
      [
        binaryen.SIMDLoadStoreLaneId,
        ({ ptr, vec }: binaryen.SIMDLoadStoreLaneInfo) => {
          this.#require('address', ptr);
          // Whether it loads or stores, a scalar meets a vector: with scalar loads public, that is where a secret could get out.
          if (this.#judge(vec) && this.#question.source === 'vector loads') this.#report('escape', vec);
          return true;
        },
      ],
      [
        binaryen.MemoryCopyId,
        ({ dest, source, size }: binaryen.MemoryCopyInfo) => {
          this.#require('address', dest);
          this.#require('address', source);
          this.#require('length', size);
          return false;
        },
      ],
      [
        binaryen.MemoryFillId,
        ({ dest, size }: binaryen.MemoryFillInfo) => {
          this.#require('address', dest);
          this.#require('length', size);
          return false;
        },
      ],
    ];
  }
}
