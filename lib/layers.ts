import { Stack } from 'aws-cdk-lib';
import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const SHARP = join(import.meta.dirname, 'layers', 'sharp');

/** The image library for Lambda's machine, the same layer for all functions of a stack. */
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

/** Whether `npm run layers` has put the library there. Without it the stack is complete but for the layer's content. */
export function isSharpInstalled(): boolean {
  return existsSync(join(SHARP, 'nodejs', 'node_modules', '@img', 'sharp-linux-arm64'));
}
