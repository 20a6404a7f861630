"""Test a small class with unittest, with and without failures."""
import io
import os
import re
import sys
import unittest
from unittest import mock


class Cart:
    def __init__(self, store=None):
        self.items, self.store = {}, store

    def add(self, name, count=1):
        if count < 1:
            raise ValueError("count must be positive")
        self.items[name] = self.items.get(name, 0) + count

    def save(self):
        return self.store.put(sorted(self.items.items()))


class CartTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print("set up the class")

    def setUp(self):
        self.cart = Cart()

    def test_adds(self):
        self.cart.add("tea")
        self.cart.add("tea", 2)
        self.assertEqual(self.cart.items, {"tea": 3})

    def test_refuses(self):
        """A count below one is refused."""
        with self.assertRaisesRegex(ValueError, "positive"):
            self.cart.add("tea", 0)

    def test_saves(self):
        store = mock.Mock()
        store.put.return_value = "id"
        cart = Cart(store)
        cart.add("b")
        cart.add("a")
        self.assertEqual(cart.save(), "id")
        store.put.assert_called_once_with([("a", 1), ("b", 1)])

    def test_each(self):
        for count in (1, 2):
            with self.subTest(count=count):
                self.cart.add("x", count)
                self.assertLess(self.cart.items["x"], 3 if "--fail" in sys.argv else 4)

    @unittest.skip("not yet")
    def test_later(self): ...

    @unittest.expectedFailure
    def test_known(self):
        self.assertMultiLineEqual("a\nb\n", "a\nc\n")


out = io.StringIO()
suite = unittest.defaultTestLoader.loadTestsFromTestCase(CartTest)
result = unittest.TextTestRunner(out, verbosity=2).run(suite)
print(re.sub(r"in \d+\.\d+s", "in N s", out.getvalue()))
with mock.patch("os.getcwd", return_value="/elsewhere"), mock.patch.dict("os.environ", {"CART": "1"}):
    print(os.getcwd(), os.environ["CART"])
print(os.getcwd(), os.environ.get("CART"))
sys.exit(not result.wasSuccessful())
