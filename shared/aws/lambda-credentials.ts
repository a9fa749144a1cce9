/**
 * Stands for the SDK's chain of credential providers in the bundles of functions (`lib/bundle.ts`): Lambda passes
 * credentials in environment variables, and the rest of the chain would bring the clients of STS and SSO along.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
