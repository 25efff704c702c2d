import './style/base.css';
import './style/layout.css';
import './style/views.css';
import './style/decisions.css';
import './theme';
import './keys';
import { render } from 'preact';
import { App } from './app';

const root = document.getElementById('app');
if (root) render(<App />, root);
