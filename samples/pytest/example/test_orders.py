# SPDX-License-Identifier: Apache-2.0
"""Tests to try `pytest --profrender` on: three of them fail, each for another reason."""

import unittest

import pytest


def orders(count):
    return [{"number": number, "lines": [number % 7] * 10} for number in range(count)]


def test_orders_are_numbered():
    assert orders(1000)[-1]["number"] == 999


@pytest.mark.profrender(max_peak="1MiB")
def test_a_day_fits_into_its_budget():
    assert len(orders(100)) == 100


@pytest.mark.profrender(max_peak="10MiB")
def test_a_year_fits_into_its_budget():
    assert len(orders(200_000)) == 200_000


@pytest.mark.parametrize("shop", ["north", "<south> & east/west"])
def test_a_shop_has_orders(shop):
    assert sum(order["number"] for order in orders(20_000)) > 0, shop


def test_an_order_without_lines():
    block = bytearray(8 << 20)
    assert orders(len(block) >> 20)[0]["lines"] == []


def test_an_order_that_is_missing():
    return orders(10)[11]


class Ledger(unittest.TestCase):
    def test_the_ledger_is_empty(self):
        self.assertEqual(orders(0), [])


@pytest.mark.skip(reason="there is no second ledger")
def test_the_second_ledger():
    pass
