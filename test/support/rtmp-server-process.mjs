import NodeMediaServer from 'node-media-server';

/* An RTMP server that records every stream into the working folder. Arguments: ports of RTMP and HTTP. */

const [rtmpPort, httpPort] = process.argv.slice(2).map(Number);
const server = new NodeMediaServer({
  bind: '127.0.0.1',
  rtmp: { port: rtmpPort },
  http: { port: httpPort },
  record: { path: '.', auto: true },
  auth: { play: false, publish: false },
});
console.log = () => undefined;
await server.run();
process.once('SIGTERM', () => void server.stop());
// Ends with the test run that started it.
// Unreferenced: after SIGTERM the process ends when its records are written.
process.stdin
  .once('close', () => process.exit())
  .resume()
  .unref();
