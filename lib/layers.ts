import { Stack } from 'aws-cdk-lib';
import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SHARP = join(import.meta.dirname, 'layers', 'sharp');
const BROADCASTER = join(import.meta.dirname, 'layers', 'broadcaster');
/** What the stream worker needs beside its bundle: a folder with `node_modules/`. */
export const BROADCASTER_LAYER = {
  path: BROADCASTER,
  hash: () =>
    createHash('sha256')
      .update(readFileSync(join(BROADCASTER, 'package-lock.json')))
      .digest('hex'),
};

/** Returns the layer with the image library for linux/arm64. All functions of a stack share it. */
export function sharpLayer(scope: Construct): LayerVersion {
  const stack = Stack.of(scope);
  const existing = stack.node.tryFindChild('Sharp');
  if (existing instanceof LayerVersion) return existing;
  return new LayerVersion(stack, 'Sharp', {
    description: 'sharp for linux/arm64',
    code: Code.fromAsset(SHARP, { exclude: ['**/.bin', '**/.package-lock.json', '**/package-lock.json'] }),
    compatibleRuntimes: [Runtime.NODEJS_24_X],
    compatibleArchitectures: [Architecture.ARM_64],
  });
}

/** Returns whether `npm run layers` has installed the library. The stack synthesizes without it, but cannot be deployed. */
export function isSharpInstalled(): boolean {
  return existsSync(join(SHARP, 'nodejs', 'node_modules', '@img', 'sharp-linux-arm64'));
}

/** Returns whether `npm run layers` has installed the media library of the stream worker. */
export function isMediaLibraryInstalled(): boolean {
  return existsSync(join(BROADCASTER, 'node_modules', '@seydx', 'node-av-linux-arm64'));
}
