import { isMediaLibraryInstalled, isSharpInstalled } from '../lib/layers.ts';
import { packConstruct } from './construct/pack.ts';

/* `npm run construct` packs the construct `SocialPublishing` into a tarball in the current folder. */

if (isSharpInstalled() && isMediaLibraryInstalled()) {
  console.log(packConstruct(process.cwd()));
} else {
  console.error(
    'The layers are not installed, and the package would not work without them. Run: npm run layers',
  );
  process.exitCode = 1;
}
