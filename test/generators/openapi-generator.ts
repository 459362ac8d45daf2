import { join } from 'node:path'
import { cacheFor } from '../cache.ts'
import { type DOCUMENTS, type Project, pathOf } from './client.ts'

/** Later versions forgive what this one does not: `anyOf` with null, and a map beside named properties. */
const VERSION = '7.14.0'

/** A plugin of Maven that fetches files. */
export const MAVEN_DEPENDENCY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'

/** Makes a client with openapi-generator, which Maven fetches. */
export async function generate(
  { run }: Project,
  document: (typeof DOCUMENTS)[number],
  options: string[]
): Promise<void> {
  const folder = cacheFor(`openapi-generator-${VERSION}`)
  await run('mvn', [
    '--quiet',
    '--batch-mode',
    `${MAVEN_DEPENDENCY}:copy`,
    `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}`,
    `-DoutputDirectory=${folder}`
  ])
  const jar = join(folder, `openapi-generator-cli-${VERSION}.jar`)
  await run('java', ['-jar', jar, 'generate', '--input-spec', pathOf(document), ...options])
}
