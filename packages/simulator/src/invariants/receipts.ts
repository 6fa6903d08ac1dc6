import { toHex } from '@streaming-yao/core';
import { ActivationCall, ceremonyIdOf, DeriverAnswer } from '@streaming-yao/wire';
import { type Exchange, type Observer, Violation } from '../observer.ts';

/** What leaves the Derivers of one ceremony is the same receipt, and nothing is activated on fewer than both. */
export class ReceiptsAgree implements Observer {
  /** By ceremony id, then by Deriver. */
  readonly #receipts = new Map<string, Map<string, string>>();

  exchanged({ role, path, request, answer }: Exchange): void {
    if (answer === undefined) return;
    if (path === '/ceremony') this.#receipt(role, DeriverAnswer.fromJson(answer));
    if (path === '/activate') this.#activation(ActivationCall.fromJson(request));
  }

  #receipt(role: string, { ceremonyId, receipt, signatureA, signatureB }: DeriverAnswer): void {
    const id = toHex(ceremonyId);
    if (role === 'deriver-a' && !signatureA)
      throw new Violation('receipts', `deriver-a has answered ${id} without its signature`);
    const ofCeremony = this.#receipts.get(id) ?? new Map<string, string>();
    this.#receipts.set(id, ofCeremony);
    const text = [receipt, signatureB].map(toHex).join('.');
    for (const [other, known] of ofCeremony) {
      if (known !== text) throw new Violation('receipts', `${role} and ${other} hold different receipts of ${id}`);
    }
    ofCeremony.set(role, text);
  }

  #activation({ core, envelopeA, envelopeB }: ActivationCall): void {
    const id = toHex(ceremonyIdOf(core, { a: envelopeA, b: envelopeB }));
    const holders = this.#receipts.get(id)?.size ?? 0;
    if (holders !== 2) throw new Violation('receipts', `${id} was activated while ${holders} of 2 Derivers had answered`);
  }
}
