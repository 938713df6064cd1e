import { afterEach, describe, expect, it } from 'vitest';
import { isSampled, traceContextIn, traceHeadersOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const INCOMING = `00-${TRACE}-${SPAN}-01`;
const ACTIVE = `00-${SPAN}${SPAN}-${SPAN}-00`;
const OPENTELEMETRY = Symbol.for('opentelemetry.js.api.1');

type Set = (name: string, value: unknown) => void;

/** What a host has set up: a propagator that injects this, unless a part is missing. */
function setUp(inject: (set: Set) => void, parts = ['context', 'propagation']): void {
  const context = { active: () => 'the active context' };
  const propagation = {
    inject(active: string, carrier: object, setter: { set(...args: unknown[]): void }) {
      expect(active).toBe('the active context');
      inject((name, value) => setter.set(carrier, name, value));
    },
  };
  const all = Object.entries({ version: '1.9.1', context, propagation });
  const api = Object.fromEntries(all.filter(([name]) => parts.includes(name)));
  Reflect.set(globalThis, OPENTELEMETRY, api);
}
afterEach(() => void Reflect.deleteProperty(globalThis, OPENTELEMETRY));

describe('without OpenTelemetry, a question', () => {
  it('is a part of the trace of the incoming request, with its state', () => {
    const context = { traceparent: INCOMING, tracestate: 'vendor=value' };
    expect(traceHeadersOf(context)).toEqual(context);
    expect(traceHeadersOf({ traceparent: INCOMING })).toEqual({ traceparent: INCOMING });
  });

  it.each([
    ['', 'empty'],
    [INCOMING.toUpperCase(), 'in capitals'],
    [`ff-${TRACE}-${SPAN}-01`, 'of the forbidden version'],
    [`01-${TRACE}-${SPAN}-01`, 'of a later version'],
    [`${INCOMING}-00`, 'with a part too many'],
    [`00-${'0'.repeat(32)}-${SPAN}-01`, 'without a trace'],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, 'without a span'],
    [`${INCOMING}\r\nx-evil: 1`, 'with a line break'],
    [`${INCOMING}, ${INCOMING}`, 'sent twice'],
  ])('has no trace where its traceparent is malformed: %j, %s', (traceparent) => {
    expect(traceHeadersOf({ traceparent })).toBeUndefined();
  });

  it.each(['v=\n1', 'v=ä', 'v'.repeat(513)])('leaves out a malformed state', (tracestate) => {
    const headers = traceHeadersOf({ traceparent: INCOMING, tracestate });
    expect(headers).toEqual({ traceparent: INCOMING });
  });
});

describe('with OpenTelemetry, a question', () => {
  it('is a part of the active span, and carries nothing else that is injected', () => {
    setUp((set) => {
      set('traceparent', ACTIVE);
      set('baggage', 'user=1');
    });
    expect(traceHeadersOf({ traceparent: INCOMING })).toEqual({ traceparent: ACTIVE });
  });

  it.each([
    ['there is no active span', () => {}, undefined],
    ['the propagator is of another kind', (set: Set) => set('b3', '1'), undefined],
    ['the propagator injects nonsense', (set: Set) => set('traceparent', 7), undefined],
    ['nothing propagates', (set: Set) => set('traceparent', ACTIVE), ['context']],
    ['there are no contexts', (set: Set) => set('traceparent', ACTIVE), ['propagation']],
    [
      'the propagator throws',
      () => {
        throw new Error('broken');
      },
      undefined,
    ],
  ])('is a part of the incoming trace where %s', (_case, inject, parts) => {
    setUp(inject, parts);
    expect(traceHeadersOf({ traceparent: INCOMING })).toEqual({ traceparent: INCOMING });
    expect(traceHeadersOf(undefined)).toBeUndefined();
  });
});

describe('the headers of a request', () => {
  it('have a trace context only with one traceparent', () => {
    const read = (headers: Record<string, unknown>) => traceContextIn((name) => headers[name]);
    expect(read({})).toBeUndefined();
    expect(read({ tracestate: 'a=b' })).toBeUndefined();
    expect(read({ traceparent: [INCOMING, INCOMING] })).toBeUndefined();
    const both = { traceparent: INCOMING, tracestate: 'a=b' };
    expect(read({ ...both, baggage: 'c=d' })).toEqual(both);
  });
});

it.each([
  ['00', false],
  ['01', true],
  ['02', false],
  ['03', true],
])('a trace with the flags %s is sampled: %s', (flags, expected) => {
  expect(isSampled({ traceparent: `00-${TRACE}-${SPAN}-${flags}` })).toBe(expected);
});
