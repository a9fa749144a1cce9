import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { freePort } from '../../local/aws/free-port.ts';

/** The network between clients and a server on this machine. */
export interface Link {
  /** The server's URL through this link. */
  url: string;
  /** Breaks all connections; new ones are refused. */
  cut: () => Promise<void>;
  mend: () => Promise<void>;
  close: () => Promise<void>;
}

const HOST = '127.0.0.1';

export async function startLink(serverUrl: string): Promise<Link> {
  const target = Number(new URL(serverUrl).port);
  const port = await freePort();
  const sockets = new Set<Socket>();
  const listener = createServer(client => {
    const server = connect(target, HOST);
    for (const socket of [client, server]) sockets.add(socket.once('close', () => sockets.delete(socket)));
    pipeline(client, server, client, () => undefined);
  });

  async function mend(): Promise<void> {
    listener.listen(port, HOST);
    await once(listener, 'listening');
  }

  async function cut(): Promise<void> {
    const closed = once(listener, 'close');
    listener.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await mend();
  return {
    url: serverUrl.replace(String(target), String(port)),
    cut,
    mend,
    close: () => (listener.listening ? cut() : Promise.resolve()),
  };
}
