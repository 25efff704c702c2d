import { host } from '../../../src/hosts/copilot/index';
import { goldenTests } from '../golden';
import { anyDocument } from '../properties';

goldenTests(host, 'copilot');
anyDocument(host, 'copilot');
