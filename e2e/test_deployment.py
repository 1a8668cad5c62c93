"""Hosts of every kind: with a strict CSP, isolated or not, cross-origin, static files only."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from e2e.demo_page import DemoPage
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.console import Console
from webbuild.browser.firefox import FirefoxHandle
from webbuild.browser.server import Server
from webbuild.bundle.hosting import HEADER_RULES

POLICY = {"Content-Security-Policy": HEADER_RULES[0].headers["Content-Security-Policy"]}
SHARED = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
BLANK = {"/blank.html": ("text/html", b"<link rel=icon href=data:,>")}
RUN = """async ([bundle, backend]) => {
  const { load } = await import(`${bundle}yolo-pose.js`);
  const { samples } = await (await fetch(`${bundle}manifest.json`)).json();
  const blob = await (await fetch(`${bundle}${samples[0].file}`)).blob();
  try {
    const model = await load({ backend });
    const { poses } = await model.run(blob);
    const { threads } = model.info().engine;
    await model.dispose();
    return { people: poses.length, threads, warnings: model.warnings };
  } catch ({ code, message, fix }) { return { code, message, fix }; }
}"""

STORED = """async (bundle) => {
  const { isCached, clearCache } = await import(`${bundle}runtime/webbuild.js`);
  await clearCache(`${bundle}manifest.json`);
  return isCached(`${bundle}manifest.json`);
}"""


@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "not isolated"])
def test_the_page_works_under_the_policy(without_gpu: Browser, bundle: Path, isolated: bool) -> None:
    with Server(bundle, isolated=isolated, headers=POLICY) as server:
        context = without_gpu.new_context(reduced_motion="reduce")
        page = DemoPage(context.new_page(), server.url)
        assert page.wait_for_result() > 0
        assert page.page.evaluate("crossOriginIsolated") == isolated
        assert page.page.evaluate("() => navigator.serviceWorker.ready.then(({ active }) => active !== null)")
        assert page.console.errors == []
        context.close()


def test_webgpu_works_under_the_policy(webgpu: BrowserHandle, bundle: Path) -> None:
    with Server(bundle, headers=POLICY, virtual=dict(BLANK)) as server, webgpu.page() as (page, console):
        page.goto(f"{server.url}blank.html")
        assert page.evaluate(RUN, ["./", "webgpu"])["people"] > 0
        assert console.errors == []


FORBIDDEN = {
    "a script in the page": """() => {
      const script = document.createElement("script");
      try { script.textContent = "globalThis.ran = true"; } catch {}
      document.head.append(script);
      return globalThis.ran === undefined;
    }""",
    "a worker from a blob": """async () => {
      const url = URL.createObjectURL(new Blob(["postMessage(1)"]));
      try {
        return await new Promise((resolve) => { new Worker(url).onerror = () => resolve(true); });
      } catch { return true; }
    }""",
    "code from a string": """() => {
      try { setTimeout("globalThis.ran = true"); return false; } catch (error) { return error instanceof TypeError; }
    }""",
    "HTML from a string": """() => {
      try { document.body.innerHTML = "<p>"; return false; } catch (error) { return error instanceof TypeError; }
    }""",
    "a worker from a string": """() => {
      try { new Worker("/runtime/worker.js"); return false; } catch (error) { return error instanceof TypeError; }
    }""",
    "another policy": """() => {
      try { trustedTypes.createPolicy("other", {}); return false; } catch (error) { return error instanceof TypeError; }
    }""",
    "a default policy": """() => {
      try { trustedTypes.createPolicy("default", {}); } catch { return trustedTypes.defaultPolicy === null; }
    }""",
}


def test_the_policy_is_in_force(without_gpu: Browser, bundle: Path) -> None:
    """What the policy forbids is refused; otherwise the tests above would show nothing."""
    with Server(bundle, headers=POLICY, virtual=dict(BLANK)) as server:
        context = without_gpu.new_context()
        page = context.new_page()
        page.goto(f"{server.url}blank.html")
        assert [name for name, check in FORBIDDEN.items() if not page.evaluate(check)] == []
        context.close()


def test_the_page_works_under_the_policy_in_firefox(firefox_here: FirefoxHandle, bundle: Path) -> None:
    """If Firefox has Trusted Types, they are enforced too."""
    with Server(bundle, headers=POLICY, virtual=dict(BLANK)) as server, firefox_here.page() as (page, console):
        page.goto(server.url)
        page.wait_for_function("() => ['ready', 'error'].includes(document.body.dataset.state)")
        count = "document.querySelector('[data-testid=result-count]')?.textContent"
        page.wait_for_function(f"() => Number({count}) > 0")
        assert page.evaluate("() => navigator.serviceWorker.ready.then(({ active }) => active !== null)")
        assert console.complaints == []
        page.goto(f"{server.url}blank.html")
        kept = FORBIDDEN if page.evaluate("() => 'trustedTypes' in globalThis") else list(FORBIDDEN)[:2]
        assert [name for name in kept if not page.evaluate(FORBIDDEN[name])] == []


def test_the_engine_starts_its_threads_under_the_policy(without_gpu: Browser, bundle: Path) -> None:
    cores = b'Object.defineProperty(navigator, "hardwareConcurrency", { value: 8 });\n'
    worker = ("text/javascript", cores + (bundle / "runtime" / "worker.js").read_bytes())
    with Server(bundle, headers=POLICY, virtual={**BLANK, "/runtime/worker.js": worker}) as server:
        context = without_gpu.new_context()
        page, console = context.new_page(), Console()
        console.listen(page)
        page.goto(f"{server.url}blank.html")
        outcome = page.evaluate(RUN, ["./", "wasm"])
        context.close()
    assert outcome["people"] > 0
    assert (outcome["threads"], outcome["warnings"], console.errors) == (4, [], [])


def test_a_page_that_allows_no_policy_of_the_runtime_says_so(without_gpu: Browser, bundle: Path) -> None:
    headers = {"Content-Security-Policy": "require-trusted-types-for 'script'; trusted-types other"}
    with Server(bundle, headers=headers, virtual=dict(BLANK)) as server:
        context = without_gpu.new_context()
        page = context.new_page()
        page.goto(f"{server.url}blank.html")
        outcome = page.evaluate(RUN, ["./", "wasm"])
        context.close()
    assert outcome["code"] == "worker-failed"
    assert "trusted-types webbuild" in outcome["fix"]


@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "not isolated"])
def test_a_bundle_of_another_origin_where_trusted_types_are_required(
    without_gpu: Browser, bundle: Path, isolated: bool
) -> None:
    policy = "require-trusted-types-for 'script'; trusted-types webbuild"
    outcome, console = elsewhere(without_gpu, bundle, isolated=isolated, headers={"Content-Security-Policy": policy})
    assert outcome["people"] > 0
    assert (outcome["warnings"], console.errors) == ([], [])


def test_a_page_that_is_neither_https_nor_localhost(without_gpu: Browser, bundle: Path) -> None:
    with Server(bundle, virtual=dict(BLANK)) as server:
        context = without_gpu.new_context()
        plain = "http://plain.test/"
        context.route(
            f"{plain}**",
            lambda route: route.fulfill(response=route.fetch(url=route.request.url.replace(plain, server.url))),
        )
        page = context.new_page()
        page.goto(f"{plain}blank.html")
        assert not page.evaluate("isSecureContext")
        outcome = page.evaluate(RUN, ["./", "auto"])
        context.close()
    assert outcome["people"] > 0
    assert {warning["code"] for warning in outcome["warnings"]} == {"no-adapter", "unverified-files"}


def test_a_sandboxed_frame_that_may_not_store_anything(without_gpu: Browser, bundle: Path) -> None:
    frame = b'<link rel=icon href=data:,><iframe sandbox="allow-scripts" src="blank.html"></iframe>'
    pages = {**BLANK, "/frame.html": ("text/html", frame)}
    with Server(bundle, isolated=False, headers=SHARED, virtual=pages) as server:
        context = without_gpu.new_context()
        page = context.new_page()
        page.goto(f"{server.url}frame.html")
        inner = page.frames[1]
        outcome = inner.evaluate(RUN, [server.url, "wasm"])
        stored = inner.evaluate(STORED, server.url)
        context.close()
    assert outcome["people"] > 0
    assert outcome["warnings"] == []
    assert stored is False


def elsewhere(browser: Browser, bundle: Path, *, isolated: bool, headers: dict[str, str]) -> tuple[Any, Console]:
    """Run the bundle of one origin in a page of another."""
    with (
        Server(bundle, isolated=False, headers=SHARED) as host,
        Server(bundle.parent, isolated=isolated, headers=headers, virtual=dict(BLANK)) as site,
    ):
        context = browser.new_context()
        page, console = context.new_page(), Console()
        console.listen(page)
        page.goto(f"{site.url}blank.html")
        outcome = page.evaluate(RUN, [host.url, "wasm"])
        context.close()
    return outcome, console


@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "not isolated"])
def test_a_bundle_of_another_origin(without_gpu: Browser, bundle: Path, isolated: bool) -> None:
    outcome, console = elsewhere(without_gpu, bundle, isolated=isolated, headers={})
    assert outcome["people"] > 0
    assert (outcome["warnings"], console.errors) == ([], [])


def test_a_bundle_of_another_origin_says_what_a_policy_must_allow(without_gpu: Browser, bundle: Path) -> None:
    open_policy = {"Content-Security-Policy": "worker-src 'self'"}
    outcome, _ = elsewhere(without_gpu, bundle, isolated=False, headers=open_policy)
    assert outcome["code"] == "worker-failed"
    assert "worker-src blob:" in outcome["fix"]


@pytest.fixture
def plain_host(bundle: Path) -> Iterator[str]:
    """Python's own server: HTTP/1.0, no ranges, no compression, no headers except the type."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name in the base class)
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(bundle)))
    thread = threading.Thread(target=http.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{http.server_address[1]}/"
    http.shutdown()
    http.server_close()
    thread.join()


def test_a_host_that_has_nothing_but_files(without_gpu: Browser, plain_host: str) -> None:
    context = without_gpu.new_context(reduced_motion="reduce")
    page = DemoPage(context.new_page(), plain_host)
    assert page.wait_for_result() > 0
    assert page.console.errors == []
    context.close()
