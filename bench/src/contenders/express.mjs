import express from 'express';
import { createVerifier, port } from './support.mjs';

const verify = createVerifier();
const app = express();
app.disable('x-powered-by');
app.post('/verify', express.json(), async (req, res) => {
  res.json({ allowed: await verify(req.body.apiKey) });
});
app.listen(port, '127.0.0.1');
