import { Annotations, App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from '../lib/bundle.ts';
import { isMediaLibraryInstalled, isSharpInstalled } from '../lib/layers.ts';
import { ServiceStack } from '../lib/service-stack.ts';
import { readSettings, stackName } from '../lib/settings.ts';
import { bundleWorker } from '../lib/worker-bundle.ts';

/** The local stack uses the same template and bundles, without what only a deployment needs. */
const isLocal = process.env['SKIP_NAG'] === '1';

bundleFunctions({ sourceMaps: !isLocal });
bundleWorker();

const app = new App({ treeMetadata: !isLocal });
const settings = readSettings(app.node);
const stack = new ServiceStack(app, stackName(settings.stage), {
  description: 'Social publishing service',
  settings,
});

if (!isLocal) {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  if (!isSharpInstalled()) {
    Annotations.of(stack).addError('The image layer is not installed. Run: npm run layers');
  }
  if (settings.live && !isMediaLibraryInstalled()) {
    Annotations.of(stack).addError('The library of the stream worker is not installed. Run: npm run layers');
  }
}

app.synth();
