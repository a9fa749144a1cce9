import { text } from 'node:stream/consumers';
import { mapText } from './map-stack/map-text.ts';

/**
 * `npm run map-stack [-- <function>] < log`: replaces the places in the deployed bundles by those in the sources. Check out the
 * deployed commit and run `npm run synth` first: bundles are the same for the same sources, and so are their maps.
 */
process.stdout.write(mapText(await text(process.stdin), process.argv[2]));
