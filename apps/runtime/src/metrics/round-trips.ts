/** Reports the round trips of a queue whose items share them. */
export interface RoundTrips {
  /** How many items one round trip carries. */
  carried(items: number): void;
  /** How long one item took from its arrival to its answer, in ms. */
  took(ms: number): void;
}

export const UNOBSERVED: RoundTrips = { carried() {}, took() {} };
