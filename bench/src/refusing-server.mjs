/** A process that answers every request with 503 at once, and prints its port. */
import { createServer } from 'node:http';

const BODY = JSON.stringify({ error: 'unavailable', message: 'Too many requests are waiting.' });
const HEADERS = { 'content-type': 'application/json', 'content-length': BODY.length };

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(503, HEADERS).end(BODY);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
