import { createFastifyPreHandler } from '@ceiba/sdk/fastify';
import fastify from 'fastify';

const REPORTS = [
  { id: '1', title: 'Monthly revenue' },
  { id: '2', title: 'Active customers' },
];

/**
 * A small API whose routes answer only calls that Ceiba allows, except `/`, which says whose policies
 * and keys these are.
 *
 * @param {{ client: import('@ceiba/sdk').AuthorizeClient }} access
 */
export function createApp({ client }) {
  const app = fastify();
  const preHandler = createFastifyPreHandler({ client });

  app.get('/', async () => about(client.projectId));

  app.get('/v1/reports', { preHandler }, async (request) => ({
    reports: REPORTS,
    calledBy: request.ceiba?.apiKey.displayName,
  }));
  app.get('/v1/reports/:id', { preHandler }, async (request, reply) => {
    const report = REPORTS.find(({ id }) => id === request.params.id);
    return report ?? reply.code(404).send({ error: 'not_found', message: 'No such report.' });
  });
  app.get('/v1/billing', { preHandler }, async () => ({
    invoices: [{ id: '1', amountCents: 4_900, currency: 'EUR' }],
  }));

  return app;
}

/** @param {string} projectId */
const about = (projectId) => ({
  name: 'Example API of Ceiba',
  projectId,
  routes: ['/v1/reports', '/v1/reports/1', '/v1/billing'],
  note: 'Calls need a key and a policy of this project. Keys of other projects are unknown here.',
});
