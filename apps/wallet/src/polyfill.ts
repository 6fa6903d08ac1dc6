// Explicit resource management is newer than some browsers that have everything else the page needs.
const symbols: { -readonly [K in 'dispose']?: symbol } = Symbol as unknown as { dispose?: symbol };
symbols.dispose ??= Symbol.for('Symbol.dispose');
