import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param {string} program @returns {boolean} Whether it is a command of this machine. */
export function isOnPath(program) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .some((folder) => {
      try {
        accessSync(join(folder, program), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
