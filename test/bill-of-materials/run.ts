/**
 * `npm run sbom`: writes the software bill of materials and the list of licences of the production dependencies into
 * `sbom/`. Fails when a package has a licence that nobody has accepted.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type BillOfMaterials, licencesOf, licencesPage, unknownLicences } from './licences.ts';

const FOLDER = 'sbom';

const text = execFileSync('npm', ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const bill: BillOfMaterials = JSON.parse(text);
const packages = licencesOf(bill);
mkdirSync(FOLDER, { recursive: true });
writeFileSync(`${FOLDER}/wafbot.cdx.json`, text);
writeFileSync(`${FOLDER}/licences.md`, licencesPage(packages));
const unknown = unknownLicences(packages);
for (const sentence of unknown) console.error(sentence);
console.log(`${packages.length} packages, ${unknown.length} with a licence that is not accepted; see ${FOLDER}/`);
if (packages.length === 0 || unknown.length > 0) process.exitCode = 1;
