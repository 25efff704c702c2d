import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { describeInBrowser, PAGE, realProblems } from './browser.js';

const VIEWS = ['waiting', 'sessions', 'decisions', 'rules', 'gates', 'settings'];

/** Serious and critical findings, one line each. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const isScrollable = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth } = document.documentElement;
    const main = document.querySelector('main');
    return scrollWidth > innerWidth || (main !== null && main.scrollWidth > main.clientWidth);
  });

describeInBrowser('looks of the page', (rig) => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 380])
      it(`has no serious finding, no violation and no sideways scrolling: ${colorScheme}, ${width} px`, async () => {
        const look = { colorScheme, viewport: { width, height: 800 } };
        const { page, hub, problems } = await rig.open({}, look);
        await page.getByLabel('Name').waitFor();
        expect(await findings(page), 'sign-in').toEqual([]);
        await page.goto(`${hub.url}/#setup=hpi_fake`);
        await page.getByLabel('Your name').waitFor();
        expect(await findings(page), 'setup').toEqual([]);
        const signedIn = await rig.openView('waiting', {}, look);
        for (const view of VIEWS) {
          await signedIn.page.goto(`${signedIn.hub.url}/#${view}`);
          await signedIn.page.waitForTimeout(400);
          expect(await findings(signedIn.page), view).toEqual([]);
          expect(await isScrollable(signedIn.page), view).toBe(false);
        }
        await signedIn.page.goto(`${signedIn.hub.url}/#decisions`);
        await signedIn.page.locator('.row', { hasText: 'Held' }).first().click();
        await signedIn.page.locator('.verdict').waitFor();
        expect(await findings(signedIn.page), 'detail').toEqual([]);
        expect(await isScrollable(signedIn.page), 'detail').toBe(false);
        await signedIn.page.goto(`${signedIn.hub.url}/#waiting`);
        await signedIn.page
          .getByRole('button', { name: /Reject/ })
          .first()
          .click();
        expect(await findings(signedIn.page), 'dialog').toEqual([]);
        expect(realProblems([...problems, ...signedIn.problems])).toEqual([]);
      }, 180_000);

  it('says in every empty view what would make something appear', async () => {
    const { page, hub, problems } = await rig.openView('waiting', { empty: true });
    for (const view of VIEWS.slice(0, 5)) {
      await page.goto(`${hub.url}/#${view}`);
      const words = page.locator('.empty p').first();
      await words.waitFor();
      expect((await words.textContent())?.length, view).toBeGreaterThan(60);
      expect(await findings(page), view).toEqual([]);
    }
    expect(realProblems(problems)).toEqual([]);
  }, 120_000);

  it('shows that gates run, by what machines send', async () => {
    const { page } = await rig.openView('sessions', {});
    await page.getByText('Gates running').waitFor();
  });

  it('remembers the chosen colours', async () => {
    const { page } = await rig.openView('settings', {}, { colorScheme: 'light' });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByRole('button', { name: 'Colours: system. Switch to light.' }).click();
    await page.getByRole('button', { name: 'Colours: light. Switch to dark.' }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.locator('main h1').waitFor();
    expect(await background()).toBe(dark);
  });
});

describe('size of the page', () => {
  it('is under 60 kB, gzipped', () => {
    const files = readdirSync(PAGE, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const sizes = files.map(({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name))).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
  });
});
