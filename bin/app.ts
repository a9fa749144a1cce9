import { Annotations, App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from '../lib/bundle.ts';
import { isSharpInstalled } from '../lib/layers.ts';
import { ServiceStack } from '../lib/service-stack.ts';
import { readSettings, stackName } from '../lib/settings.ts';

bundleFunctions();

const app = new App();
const settings = readSettings(app.node);
const stack = new ServiceStack(app, stackName(settings.stage), {
  description: 'Social publishing service',
  settings,
});

// The local stack starts from the same template; what only a deployment must fulfil is not asked there.
if (process.env['SKIP_NAG'] !== '1') {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  if (!isSharpInstalled()) {
    Annotations.of(stack).addError('The image layer is not installed. Install it with: npm run layers');
  }
}

app.synth();
