import { readSettings } from '@ceiba/devstack/settings';
import { EXAMPLE_HOST_PORT } from '@ceiba/domain/constants';
import { expect, it } from 'vitest';

it('the hosts of the snippets listen on a port that npm start leaves free', () => {
  expect(Object.values(readSettings({}).ports)).not.toContain(EXAMPLE_HOST_PORT);
});
