import { Annotations, App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from '../lib/bundle.ts';
import { isMediaLibraryInstalled, isSharpInstalled } from '../lib/layers.ts';
import { ServiceStack } from '../lib/service-stack.ts';
import {
  forgettable,
  givenSettings,
  readSettings,
  readStage,
  SETTINGS_FOLDER,
  SETTINGS_METADATA,
  stackName,
} from '../lib/settings.ts';
import cdkJson from '../cdk.json' with { type: 'json' };
import { bundleWorker } from '../lib/worker-bundle.ts';

/** The local stack uses the same template and bundles, without what only a deployment needs. */
const isLocal = process.env['SKIP_NAG'] === '1';

bundleFunctions();
bundleWorker();

const app = new App({ treeMetadata: !isLocal });
const stage = readStage(app.node);
const settings = readSettings(app.node, isLocal ? null : SETTINGS_FOLDER);
const stack = new ServiceStack(app, stackName(stage), {
  description: 'Social publishing service',
  settings,
});

if (!isLocal) {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  stack.templateOptions.metadata = { [SETTINGS_METADATA]: givenSettings(app.node, SETTINGS_FOLDER) };
  const forgotten = forgettable(app.node, SETTINGS_FOLDER, cdkJson);
  if (forgotten.length > 0) {
    Annotations.of(stack).addWarningV2(
      'settings',
      `Only -c sets ${forgotten.join(', ')}: the next deployment without it undoes that. Write it into settings/${stage}.json.`,
    );
  }
  if (!isSharpInstalled()) {
    Annotations.of(stack).addError('The image layer is not installed. Run: npm run layers');
  }
  if (settings.live && !isMediaLibraryInstalled()) {
    Annotations.of(stack).addError('The library of the stream worker is not installed. Run: npm run layers');
  }
}

app.synth();
