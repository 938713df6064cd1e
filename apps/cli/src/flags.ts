import { LIMITS, type LimitField, listLimits } from '@ceiba/domain';
import type { Refusal } from '@ceiba/manage';
import { CliError } from './errors.ts';

const kebab = (name: string) =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** How the option of a limit is written, such as `--daily-quota`. */
export const flagOf = ({ option }: LimitField) => kebab(option);

/** The options that are not named as their fields are. */
const FLAGS = new Map([
  ['projectId', '--project'],
  ['apiKeyId', '--key'],
  ['customerId', '--customer'],
  ['decisionId', '--decision'],
  ['keyPrefix', '--prefix'],
  ['displayName', '--name'],
  ['scopes', '--scope'],
  ['subscriptionStatus', '--status'],
  ['dropsPrevious', '--yes'],
  ['confirm', '--yes'],
  ['overlapSeconds', '--overlap'],
  ...listLimits((name) => [name, flagOf(LIMITS[name])] as const),
]);

/** The option of an operation's field. */
export const flagFor = (field: string): string => FLAGS.get(field) ?? kebab(field);

/** The description of a command that is one operation. */
export const described = ({ summary }: { summary: string }): string =>
  summary.charAt(0).toLowerCase() + summary.slice(1);

const EXIT_1: readonly string[] = ['failed', 'forbidden', 'plan_limit_reached', 'unauthorized'];

/** A refusal that names options in place of the fields of its operation. */
export function inOptions({ message, code, field }: Refusal): CliError {
  const shown = message.replace(/`([a-z][A-Za-z]*)`/g, (_, name: string) => flagFor(name));
  const isOption = field !== undefined && code !== 'invalid_file' && /^[a-z][A-Za-z]*$/.test(field);
  return new CliError(
    shown,
    EXIT_1.includes(code) ? 1 : 2,
    code,
    isOption ? flagFor(field) : field,
  );
}
