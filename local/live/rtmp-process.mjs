/**
 * An RTMP server that records every stream into the working folder, as `live2/<key>/<time>.flv`. A process of its own,
 * because the server keeps its state in the working folder and in globals. Plain JavaScript, to start in milliseconds.
 * Argument: the port.
 */
import NodeMediaServer from 'node-media-server';

const HOST = '127.0.0.1';
const server = new NodeMediaServer({
  bind: HOST,
  rtmp: { port: Number(process.argv[2]) },
  record: { path: '.', auto: true },
  auth: { play: false, publish: false },
});
const sessions = new Map();

server.on('postPublish', session => {
  const { id, streamName: key, socket } = session;
  sessions.set(id, session);
  process.send({ type: 'started', id, key });
  // The server itself reports the end only after half a minute, as the encoder may come back.
  socket.once('close', () => {
    sessions.delete(id);
    process.send({ type: 'stopped', id, key });
  });
});
process.on('message', ({ refuse }) => sessions.get(refuse)?.close());
process.once('SIGTERM', () => void server.stop());
// Ends with the process that started it.
process.once('disconnect', () => process.exit());
// After SIGTERM the process ends when its records are written.
process.channel.unref();

server.rtmpServer.tcpServer.once('listening', () => process.send({ type: 'listening' }));
await server.run();
