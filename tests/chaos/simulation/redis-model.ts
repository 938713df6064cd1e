import { createHash } from 'node:crypto';
import { EPOCH_SCRIPT } from '@ceiba/process/redis';
import { chargeScriptText } from '../../../apps/runtime/src/limiter/charge-script.ts';
import { usageKey } from '../../../apps/runtime/src/redis/keys.ts';
import { trimScriptText } from '../../../apps/runtime/src/usage/sweep.ts';
import {
  chargeByReference,
  emptyState,
  type ScriptReply,
  trimByReference,
} from '../../support/script-reference.ts';
import { type Rule, Violation } from '../support/violation.ts';
import type { Endpoint } from './network.ts';

const SCRIPTS = new Map(
  [
    [chargeScriptText(), chargeByReference] as const,
    [trimScriptText(), trimByReference] as const,
  ].map(([text, reference]) => [createHash('sha1').update(text).digest('hex'), reference]),
);

/** The Runtime's budget for one charge, plus the network time. */
const CHARGE_BUDGET_MS = 200 + 1;

/** A model of Redis: the answers to the Runtime's commands, with the scripts of the reference. */
export class RedisModel {
  readonly endpoint: Endpoint;
  readonly #wallClockMs: () => number;
  readonly #state = emptyState();
  readonly #ran = new Set<string>();
  #loaded = new Set<string>();
  #starts = 1;
  violation: Violation | null = null;

  constructor(endpoint: Endpoint, wallClockMs: () => number) {
    this.endpoint = endpoint;
    this.#wallClockMs = wallClockMs;
  }

  restart({ isWiped }: { isWiped: boolean }): void {
    this.#starts += 1;
    this.#loaded = new Set();
    if (!isWiped) return;
    this.#state.strings.clear();
    this.#state.hashes.clear();
  }

  /** Allowed calls of a project in the stored usage. */
  allowedCalls(projectId: string): number {
    const fields = [...(this.#state.hashes.get(usageKey(projectId)) ?? [])];
    const months = fields.filter(([field]) => /^m\|.*\|project$/.test(field));
    return months.reduce((total, [, count]) => total + Number(count), 0);
  }

  info(sections: readonly string[]): string {
    const facts = this.#facts();
    const names = sections.length === 0 ? (['server', 'replication'] as const) : sections;
    return names.map((name) => (name in facts ? facts[name as keyof typeof facts] : '')).join('');
  }

  time(): [string, string] {
    const timeMs = Math.floor(this.#wallClockMs());
    return [String(Math.floor(timeMs / 1000)), String((timeMs % 1000) * 1000)];
  }

  /** @param sentAtMs when the Runtime sent the command, on the virtual clock */
  evalsha(digest: string, keyCount: number, rest: readonly string[], sentAtMs: number) {
    if (!this.#loaded.has(digest)) throw new Error('NOSCRIPT No matching script.');
    return this.#run(digest, keyCount, rest, sentAtMs);
  }

  eval(text: string, keyCount: number, rest: readonly string[], sentAtMs: number) {
    if (text === EPOCH_SCRIPT) return this.info([]);
    const digest = createHash('sha1').update(text).digest('hex');
    this.#loaded.add(digest);
    return this.#run(digest, keyCount, rest, sentAtMs);
  }

  scan(): [string, string[]] {
    return ['0', [...this.#state.hashes.keys()]];
  }

  hscan(key: string): [string, string[]] {
    return ['0', [...(this.#state.hashes.get(key) ?? [])].flat()];
  }

  #run(digest: string, keyCount: number, rest: readonly string[], sentAtMs: number) {
    const script = SCRIPTS.get(digest);
    if (script === undefined) throw new Error('the model does not know this script');
    const [keys, args] = [rest.slice(0, keyCount), rest.slice(keyCount)];
    const timeMs = Math.floor(this.#wallClockMs());
    const reply: ScriptReply = script(this.#state, keys, args, { timeMs, info: this.#facts() });
    if (typeof reply === 'object' && 'error' in reply) throw new Error(reply.error);
    if (typeof reply === 'object' && reply.includes('allowed')) this.#judge(args[0], sentAtMs);
    return reply;
  }

  /** Kept instead of thrown, because a Runtime answers 503 to any error of a server. */
  #judge(freshId = '', sentAtMs: number): void {
    const tookMs = this.endpoint.clock.nowMs - sentAtMs;
    const rule: Rule | null = this.#ran.has(freshId)
      ? 'nothing is sent twice'
      : tookMs > CHARGE_BUDGET_MS
        ? 'few charges run late'
        : null;
    if (rule) this.violation ??= new Violation(rule, `a charge ran ${tookMs} ms after its sending`);
    this.#ran.add(freshId);
  }

  #facts() {
    const id = String(this.#starts).padStart(40, '0');
    return {
      server: `# Server\r\nrun_id:${id}\r\n`,
      replication: `# Replication\r\nrole:master\r\nmaster_replid:${'a'.repeat(40)}\r\n`,
    };
  }
}
