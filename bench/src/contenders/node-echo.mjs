import http from 'node:http';

/** The least that an answer from Node costs: the body is parsed and written back. */
http
  .createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()));
      const length = Buffer.byteLength(body);
      res
        .writeHead(200, { 'content-type': 'application/json', 'content-length': length })
        .end(body);
    });
  })
  .listen(Number(process.env.PORT), '127.0.0.1');
