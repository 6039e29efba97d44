/**
 * `npm run sbom`: lists the licences of what the package contains and installs, by its bill of materials, in
 * `sbom/licences.md`. Fails when a package has a licence that nobody has accepted. The build writes the bill.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type BillOfMaterials, licencesOf, licencesPage, unknownLicences } from './licences.ts';

const FOLDER = 'sbom';

const text = readFileSync('dist/sbom.cdx.json', 'utf8');
const bill: BillOfMaterials = JSON.parse(text);
const packages = licencesOf(bill);
mkdirSync(FOLDER, { recursive: true });
writeFileSync(`${FOLDER}/wafbot.cdx.json`, text);
writeFileSync(`${FOLDER}/licences.md`, licencesPage(packages));
const unknown = unknownLicences(packages);
for (const sentence of unknown) console.error(sentence);
console.log(`${packages.length} packages, ${unknown.length} with a licence that is not accepted; see ${FOLDER}/`);
if (packages.length === 0 || unknown.length > 0) process.exitCode = 1;
