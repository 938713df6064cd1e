import { protect } from '../../../lib/ceiba.js';

export const GET = protect(() =>
  Response.json({ invoices: [{ id: '1', amountCents: 4_900, currency: 'EUR' }] }),
);
