/** Where a broadcast is sent: as platforms show it, a server URL and a secret stream key. */
export interface IngestAddress {
  url: string;
  key: string;
}

/** An ingest address in the parts that a connection needs. */
export interface IngestTarget {
  host: string;
  port: number;
  isSecure: boolean;
  app: string;
  tcUrl: string;
  key: string;
}

const PORTS: Readonly<Record<string, number>> = { 'rtmp:': 1935, 'rtmps:': 443 };

/** Returns the parts of an ingest address. Throws for anything but rtmp and rtmps. */
export function parseIngest({ url, key }: IngestAddress): IngestTarget {
  const parsed = new URL(url);
  const port = PORTS[parsed.protocol];
  if (port === undefined) throw new Error('The ingest URL must begin with rtmp:// or rtmps://');
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port === '' ? port : Number(parsed.port),
    isSecure: parsed.protocol === 'rtmps:',
    app: `${parsed.pathname}${parsed.search}`.replace(/^\//, ''),
    tcUrl: url,
    key,
  };
}
