import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { mainFile } from '../processes.mjs';
import { FakeHub, type FakeOptions, PERSON } from './fake-server.js';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];

/** The page as `node hub/build.mjs` has built it. */
export const PAGE = join(dirname(mainFile()), 'page');

/** Tests in Chromium. Where there is none, the name says why they are skipped. */
export function describeInBrowser(name: string, tests: (rig: Rig) => void): void {
  const isThere = existsSync(CHROMIUM);
  describe.skipIf(!isThere)(isThere ? name : `${name} (skipped: there is no ${CHROMIUM})`, () => {
    const rig = new Rig();
    beforeAll(() => rig.start());
    afterAll(() => rig.stop());
    tests(rig);
  });
}

export interface Opened {
  readonly hub: FakeHub;
  readonly page: Page;
  /** What the browser complained about: errors of scripts, refused resources, violated policies. */
  readonly problems: string[];
}

export class Rig {
  private browser: Browser | undefined;
  private readonly hubs: FakeHub[] = [];

  async start(): Promise<void> {
    this.browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    await Promise.all(this.hubs.map((hub) => hub.stop()));
  }

  /** A browser's page at a hub of its own, not signed in. */
  async open(fake: Omit<FakeOptions, 'page'> = {}, look: BrowserContextOptions = {}): Promise<Opened> {
    const hub = await new FakeHub({ page: PAGE, ...fake }).start();
    this.hubs.push(hub);
    if (!this.browser) throw new Error('The browser has not started.');
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...look });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`);
    });
    await page.exposeFunction('violated', (text: string) => problems.push(`policy: ${text}`));
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
        const told = globalThis as unknown as { violated: (text: string) => void };
        told.violated(`${violatedDirective} ${blockedURI} ${sample}`);
      });
    });
    await page.goto(hub.url);
    return { hub, page, problems };
  }

  /** The same, signed in, at one of the views. */
  async openView(
    view: string,
    fake: Omit<FakeOptions, 'page'> = {},
    look: BrowserContextOptions = {},
  ): Promise<Opened> {
    const opened = await this.open(fake, look);
    await signIn(opened.page);
    await opened.page.goto(`${opened.hub.url}/#${view}`);
    await opened.page.locator('main h1').waitFor();
    return opened;
  }
}

export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Name').fill(PERSON.name);
  await page.getByLabel('Passphrase').fill(PERSON.passphrase);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Live', { exact: true }).waitFor();
}

/** Without the one complaint that is meant: nobody was signed in when the page asked who it is. */
export function realProblems(problems: readonly string[]): string[] {
  return problems.filter((problem) => !/401.*\/api\/v1\/me$/.test(problem));
}
