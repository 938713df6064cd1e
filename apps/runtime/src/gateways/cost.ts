import { COST_MAX } from '@ceiba/contract/sets';
import { shortened, TransportError } from '../errors.ts';

/** A gateway's own settings cannot work: it gets a 503, and the log says what to change. */
export class GatewayMistake extends TransportError {
  constructor(problem: string) {
    super('invalid_request', problem);
  }
}

/**
 * What a gateway's own settings say that a call costs. A header of the question is never read for it,
 * because gateways pass the headers of their callers on.
 *
 * @param values all that the settings give
 * @param place where they stand, for the log
 * @returns undefined where they say nothing, so that the policy does
 */
export function costOf(
  values: readonly string[],
  place: string,
): number | undefined | GatewayMistake {
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) return new GatewayMistake(`gives "cost" more than once in ${place}`);
  const cost = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
  if (cost <= COST_MAX) return cost;
  return new GatewayMistake(
    `has "${shortened(value, 32)}" for "cost" in ${place}, which must be a whole number from 0 to ${COST_MAX}`,
  );
}
