import { expect, it } from 'vitest';
import { type BillOfMaterials, licencesOf, licencesPage, unknownLicences } from '../bill-of-materials/licences.ts';

const component = (name: string, licenses?: BillOfMaterials['components'][number]['licenses']) => ({
  name,
  version: '1.0.0',
  licenses,
});
const BILL: BillOfMaterials = {
  components: [
    component('good', [{ license: { id: 'MIT' } }]),
    component('copyleft', [{ license: { id: 'AGPL-3.0-only' } }]),
    component('either', [{ expression: '(MIT OR GPL-3.0-only)' }]),
    component('own', [{ license: { name: 'SEE LICENSE IN x.txt' } }]),
    component('both', [{ license: { id: 'MIT' } }, { license: { id: 'SSPL-1.0' } }]),
    component('silent'),
  ],
};

it('every licence that nobody has accepted is named with its package', () => {
  expect(unknownLicences(licencesOf(BILL)).map((sentence) => sentence.split(':')[0])).toEqual([
    'both 1.0.0 has the licence MIT and SSPL-1.0',
    'copyleft 1.0.0 has the licence AGPL-3.0-only',
    'either 1.0.0 has the licence (MIT OR GPL-3.0-only)',
    'own 1.0.0 has the licence SEE LICENSE IN x.txt',
    'silent 1.0.0 names no licence',
  ]);
});

it('the list has every package with its licence', () => {
  const page = licencesPage(licencesOf(BILL));
  expect(page).toContain('| good | 1.0.0 | MIT |');
  expect(page.split('\n').filter((line) => line.startsWith('| ') && line.includes('1.0.0'))).toHaveLength(6);
});
