/** The licences in a software bill of materials (CycloneDX, as `npm sbom` writes it). */

/** Those that let the bot be used, changed and passed on, also as part of something else, for no more than a mention. */
const ACCEPTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'OFL-1.1',
]);

export interface BillOfMaterials {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly licenses?: readonly (
      | { readonly license: { readonly id?: string; readonly name?: string } }
      | { readonly expression: string }
    )[];
  }[];
}

export interface Licensed {
  readonly name: string;
  readonly version: string;
  /** As the package names it; empty where it names none. */
  readonly licence: string;
}

export function licencesOf({ components }: BillOfMaterials): Licensed[] {
  return components
    .map(({ name, version, licenses = [] }) => {
      const named = licenses.map((entry) =>
        'expression' in entry ? entry.expression : (entry.license.id ?? entry.license.name ?? ''),
      );
      return { name, version, licence: named.join(' and ') };
    })
    .toSorted((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
}

/** One sentence for each package that nobody has looked at yet. */
export function unknownLicences(packages: readonly Licensed[]): string[] {
  return packages
    .filter(({ licence }) => !ACCEPTED.has(licence))
    .map(({ name, version, licence }) => {
      const has = licence === '' ? 'names no licence' : `has the licence ${licence}`;
      return `${name} ${version} ${has}: read it, then add it to the accepted ones or replace the package.`;
    });
}

export function licencesPage(packages: readonly Licensed[]): string {
  const counts = new Map<string, number>();
  for (const { licence } of packages) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const summary = [...counts].toSorted((a, b) => b[1] - a[1]).map(([licence, count]) => `${licence}: ${count}`);
  const rows = packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  return [
    '# Licences of what wafbot is made of',
    '',
    summary.join(', '),
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
