"""The room makes its own certificate, so a phone warns once; clicked through, it never warns again."""

import pytest
from playwright.sync_api import Error


def test_the_warning_is_clicked_through_once_and_a_restart_does_not_bring_it_back(host, whole_browser, screenshots):
    room = host()
    context = whole_browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
        page.goto(room.phone_url())
    page.wait_for_selector("#details-button")
    page.screenshot(path=screenshots / "phone-certificate-warning.png")
    page.click("#details-button")
    page.click("#proceed-link")
    # The ticket behind the # survives the warning.
    page.wait_for_selector("#room:has-text('Living Room')")
    assert page.evaluate("isSecureContext"), "a page behind a certificate that was clicked through counts as secure"
    page.click("#start")
    page.wait_for_selector("main[data-state=seated]")
    room.kill()
    room.start()
    page.wait_for_selector("main[data-state=seated]")
    page.reload()
    assert page.query_selector("#details-button") is None
    page.wait_for_selector("main[data-state=seated]")
    context.close()


def test_an_address_that_is_typed_without_https_leads_to_the_page(host, whole_browser):
    room = host()
    context = whole_browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.goto(room.phone_url().replace("https://", "http://"))
    page.wait_for_selector("#room:has-text('Living Room')")
    assert page.url.startswith("https://")
    # The ticket behind the # came along.
    page.click("#start")
    page.wait_for_selector("main[data-state=seated]")
    context.close()
