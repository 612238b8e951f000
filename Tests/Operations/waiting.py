"""How tests wait for what programs do: for a fact, and no longer than somebody with a slow machine would."""
import time

PATIENCE = 60


def until(question, what="", within=PATIENCE):
    """The answer, once it is true. `what` says what is waited for, or is asked when time is over."""
    limit = time.monotonic() + within
    while not (answer := question()):
        assert time.monotonic() < limit, f"not within {within:g} s: {(what() if callable(what) else what) or answer!r}"
        time.sleep(0.05)
    return answer


def settled(seen, wanted, within=PATIENCE):
    """What is seen, once it is what is wanted; what was seen last when time is over, for the test to compare."""
    limit = time.monotonic() + within
    while (found := seen()) != wanted and time.monotonic() < limit:
        time.sleep(0.05)
    return found
