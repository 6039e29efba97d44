/** Debian's Chromium, driven as a person would use it; it can reach nothing but this machine. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

export const browserAvailable = existsSync(CHROMIUM);

/** Put into the title of a skipped suite, so that its absence is visible in the report. */
export const browserNote = browserAvailable ? '' : ` (SKIPPED: no ${CHROMIUM} on this machine)`;

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}

/** Everything a page complains about, and every address outside of its own origin that it wants. */
export function listenTo(page: Page, url: string): { readonly complaints: string[]; readonly strangers: string[] } {
  const complaints: string[] = [];
  const strangers: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) strangers.push(request.url());
  });
  return { complaints, strangers };
}

/** Waits until the picture is there; 0 where what came is no picture. */
export async function widthOfPicture(picture: Locator): Promise<number> {
  await picture.scrollIntoViewIfNeeded();
  return picture.evaluate((image: { naturalWidth: number; decode(): Promise<void> }) =>
    image.decode().then(
      () => image.naturalWidth,
      () => 0,
    ),
  );
}
