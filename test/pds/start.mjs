/**
 * Runs a Bluesky server (PDS) and its DID directory on free loopback ports, with fresh data. Prints one line of JSON,
 * `{"pds":"http://localhost:…","plc":"http://localhost:…"}`, when both answer, and ends on SIGTERM or when its standard
 * input closes, so that it never outlives the test that started it.
 */
import { TestPds, TestPlc } from '@atproto/dev-env';

const plc = await TestPlc.create({});
const pds = await TestPds.create({ didPlcUrl: plc.url });
console.log(JSON.stringify({ pds: pds.url, plc: plc.url }));

let stopping = false;
async function stop() {
  if (stopping) return;
  stopping = true;
  await pds.close();
  await plc.close();
  process.exit(0);
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.stdin.once('end', stop).resume();
