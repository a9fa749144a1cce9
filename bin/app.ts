import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from '../lib/bundle.ts';
import { ServiceStack } from '../lib/service-stack.ts';
import { readSettings } from '../lib/settings.ts';

bundleFunctions();

const app = new App();
const settings = readSettings(app.node);
new ServiceStack(app, `social-publishing-${settings.stage}`, {
  description: 'Social publishing service',
  settings,
});

// The local stack starts from the same template; it needs no review of it.
if (process.env['SKIP_NAG'] !== '1') Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

app.synth();
