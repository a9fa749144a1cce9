import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { JsonObjectSchema } from '../../shared/model/json.ts';

const ResourceSchema = v.object({
  Type: v.string(),
  Properties: v.optional(JsonObjectSchema, {}),
});
export type Resource = v.InferOutput<typeof ResourceSchema>;

const TemplateSchema = v.object({ Resources: v.record(v.string(), ResourceSchema) });

const ManifestSchema = v.object({
  artifacts: v.record(
    v.string(),
    v.looseObject({
      type: v.string(),
      properties: v.optional(v.looseObject({ templateFile: v.optional(v.string()) }), {}),
    }),
  ),
});

const AssetsSchema = v.object({
  files: v.record(v.string(), v.object({ source: v.object({ path: v.string() }) })),
});

/** A synthesized stack: its resources and the code of its functions. */
export interface Template {
  resources: Record<string, Resource>;
  /** Folder of an asset by its key in the asset bucket. */
  asset: (s3Key: string) => string;
}

/** Reads the output of `cdk synth`. Throws unless it contains exactly one stack. */
export function readTemplate(folder: string): Template {
  const { artifacts } = v.parse(ManifestSchema, readJson(join(folder, 'manifest.json')));
  const files = Object.values(artifacts).flatMap(({ type, properties }) =>
    type === 'aws:cloudformation:stack' && properties.templateFile ? [properties.templateFile] : [],
  );
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) {
    throw new Error(`Expected one stack in ${folder}, found ${files.length}`);
  }
  const { Resources } = v.parse(TemplateSchema, readJson(join(folder, file)));
  const assets = v.parse(AssetsSchema, readJson(join(folder, file.replace('.template.', '.assets.')))).files;
  return {
    resources: Resources,
    asset: s3Key => {
      const found = assets[s3Key.replace(/\.zip$/, '')];
      if (!found) throw new Error(`The asset ${s3Key} does not exist`);
      return join(folder, found.source.path);
    },
  };
}

function readJson(file: string): unknown {
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return json;
}
