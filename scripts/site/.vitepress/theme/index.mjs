// The theme of the generator, without fonts to download, and with the list of versions.
import { useData } from 'vitepress';
import Theme from 'vitepress/theme-without-fonts';
import { h, onMounted, ref } from 'vue';
import './style.css';

/** The versions beside this one. They are requested when a page is opened, so that an old version lists newer ones too. */
const Versions = {
  setup() {
    const { site, theme } = useData();
    const { version } = theme.value;
    const above = site.value.base.slice(0, -`${version}/`.length);
    const versions = ref([version]);
    onMounted(async () => {
      const answer = await fetch(`${above}versions.json`).catch(() => undefined);
      if (answer?.ok) versions.value = await answer.json();
    });
    const open = ({ target }) => globalThis.location.assign(`${above}${target.value}/`);
    const option = (value) => h('option', { value, selected: value === version }, value);
    return () =>
      h('select', { class: 'versions', 'aria-label': 'Version', onChange: open }, versions.value.map(option));
  },
};

export default {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { 'nav-bar-content-before': () => h(Versions) }),
};
