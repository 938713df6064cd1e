import { createExpressMiddleware } from '@ceiba/sdk/express';
import express from 'express';

const REPORTS = [
  { id: '1', title: 'Monthly revenue' },
  { id: '2', title: 'Active customers' },
];

/**
 * A small API whose routes under `/v1` answer only calls that Ceiba allows. `/` says whose policies
 * and keys these are.
 *
 * @param {{ client: import('@ceiba/sdk').AuthorizeClient }} access
 */
export function createApp({ client }) {
  const app = express();
  app.disable('x-powered-by');

  app.get('/', (_req, res) => res.json(about(client.projectId)));

  app.use('/v1', createExpressMiddleware({ client }));

  app.get('/v1/reports', (req, res) => {
    res.json({ reports: REPORTS, calledBy: req.ceiba?.apiKey.displayName });
  });
  app.get('/v1/reports/:id', (req, res) => {
    const report = REPORTS.find(({ id }) => id === req.params.id);
    if (report) res.json(report);
    else res.status(404).json({ error: 'not_found', message: 'No such report.' });
  });
  app.get('/v1/billing', (_req, res) => {
    res.json({ invoices: [{ id: '1', amountCents: 4_900, currency: 'EUR' }] });
  });

  return app;
}

/** @param {string} projectId */
const about = (projectId) => ({
  name: 'Example API of Ceiba',
  projectId,
  routes: ['/v1/reports', '/v1/reports/1', '/v1/billing'],
  note: 'Calls need a key and a policy of this project. Keys of other projects are unknown here.',
});
