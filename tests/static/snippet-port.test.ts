import { readSettings } from '@ceiba/devstack/settings';
import { expect, it } from 'vitest';
import { EXAMPLE_HOST_PORT } from '../../apps/console/src/lib/host-snippets.ts';

it('the hosts of the snippets listen on a port that npm start leaves free', () => {
  expect(Object.values(readSettings({}).ports)).not.toContain(EXAMPLE_HOST_PORT);
});
