import { GetTemplateSummaryCommand, type CloudFormationClient } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';
import { SETTINGS_METADATA } from '../../lib/settings.ts';
import { parseJson } from '../../shared/model/json.ts';

type Given = Readonly<Record<string, unknown>>;

const MetadataSchema = v.object({ [SETTINGS_METADATA]: v.record(v.string(), v.unknown()) });

/**
 * Returns the settings that the deployed stack was given. None for a stack that does not exist, or that was deployed by a
 * version which did not store them.
 */
export async function deployedSettings(client: CloudFormationClient, stack: string): Promise<Given> {
  try {
    const { Metadata = '' } = await client.send(new GetTemplateSummaryCommand({ StackName: stack }));
    const parsed = v.safeParse(MetadataSchema, parseJson(Metadata));
    return parsed.success ? parsed.output[SETTINGS_METADATA] : {};
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return {};
    throw error;
  }
}

/** Returns a line for each setting that was given and no longer is. */
export function undone(deployed: Given, next: Given): string[] {
  return Object.entries(deployed)
    .filter(([name]) => !(name in next))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}
