# SPDX-License-Identifier: Apache-2.0
"""The library gives the same results in any locale of its process: it calls nothing that depends on one."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DEPENDENT = """
atof strtod strtof strtold isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper
isxdigit tolower toupper strcoll strxfrm strcasecmp strncasecmp setlocale uselocale newlocale localeconv nl_langinfo
strftime strfmon mblen mbtowc mbstowcs mbrtowc wctomb wcstombs wcrtomb wcwidth wcswidth btowc towlower towupper iswalpha
scanf sscanf fscanf vsscanf strcasestr
""".split()
CALL = re.compile(r"(?<![\w.>])(" + "|".join(DEPENDENT) + r")\s*\(")
FRACTION = re.compile(r"%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*))?L?[aAeEfFgG]")
GROUPED = re.compile(r"%[-+ #0]*'")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def sources():
    return sorted(path for path in (ROOT / "capture").rglob("*.[ch]"))


def calls(text):
    return [found.group(1) for found in CALL.finditer(STRING.sub('""', COMMENT.sub("", text)))]


def formats(text):
    texts = [(one, one.replace("%%", "")) for one in STRING.findall(COMMENT.sub("", text))]
    return [one for one, format in texts if FRACTION.search(format) or GROUPED.search(format)]


def test_the_rule_sees_what_it_forbids():
    assert calls("x = strtod (text, NULL); /* atof(x) */ \"isalpha(\"; pr_isalpha(c); s->tolower(c);") == ["strtod"]
    assert formats('printf("%d %5.1f", 1, 2.0); /* "%f" */ printf("%s", "100 %"); "%% At";') == ['"%d %5.1f"']


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_library_calls_nothing_that_depends_on_the_locale(path):
    text = path.read_text()
    assert calls(text) == []
    assert formats(text) == []
