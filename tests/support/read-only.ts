import { spawnSync } from 'node:child_process';

/**
 * Bubblewrap runs a program as a container of ours does: no file can be written, no capability is
 * left, and the user is not root. Undefined where it is missing or may not do so.
 */
export const readOnly: readonly string[] | undefined = (() => {
  const files = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];
  const user = ['--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'];
  const command = ['bwrap', ...files, ...user, '--die-with-parent'];
  return spawnSync('bwrap', [...command.slice(1), 'true']).status === 0 ? command : undefined;
})();
