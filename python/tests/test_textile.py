"""Tests of materials."""

import numpy as np
import pytest

import taffeta as tf
from taffeta import textile

COARSE = {"refine_error": None, "size": 0.015, "lowering": 0.25}


def test_a_stiffer_fabric_covers_more() -> None:
    limp, stiff = (textile.drape(name, **COARSE) for name in ("jersey", "denim"))
    assert 10 < limp.coefficient < stiff.coefficient < 95
    assert stiff.folds >= 3
    assert stiff.positions.shape[1] == 3 and stiff.faces.max() < len(stiff.positions)
    assert 0.09 <= stiff.outline.min() <= stiff.outline.max() < 0.151
    area = np.pi * np.mean(stiff.outline**2)
    assert stiff.coefficient == pytest.approx(100 * (area / np.pi - 0.0081) / 0.0144, abs=1.5)
    assert repr(stiff).startswith("<Drape, ")


def test_a_table_is_a_material_and_a_plate_stays_flat() -> None:
    table = {"density": 0.1, "stretch": [1000.0, 1000.0], "bend": [0.1, 0.1]}
    assert textile.drape(table, **COARSE).coefficient == pytest.approx(100, abs=0.1)


def test_another_start_is_another_drape_and_the_same_start_the_same() -> None:
    first, again, other = (textile.drape("cotton", start=start, **COARSE) for start in (0, 0, 1))
    assert (first.positions == again.positions).all()
    assert first.coefficient != other.coefficient


def test_a_smaller_support_and_specimen_have_a_shadow_of_their_own() -> None:
    small = textile.drape("denim", support=0.0635, specimen=0.127, **COARSE)
    assert 0.0635 <= small.outline.min() <= small.outline.max() < 0.128
    assert 30 < small.coefficient < 95


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"pattern": "spiral"}, "must be one of staggered"),
        ({"size": 1.0}, "size is 1, but must be"),
        ({"refine_error": float("nan")}, "refine_error is NaN"),
        ({"lowering": -1.0}, "lowering is -1"),
        ({"waves": 1_000_000}, "waves is 1000000"),
        ({"support": 0.0}, "support is 0"),
        ({"specimen": 0.09}, "specimen is 0.09, but must be"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(setting: dict[str, object], text: str) -> None:
    with pytest.raises(tf.TextileError, match=text):
        textile.drape("cotton", **(COARSE | setting))


@pytest.mark.parametrize("material", ["steel", {"density": -1.0}, {"weight": 0.1}])
def test_a_material_that_makes_no_sense_is_refused(material: object) -> None:
    with pytest.raises(tf.SceneError):
        textile.drape(material, **COARSE)


def test_bending_lengths_and_stiffnesses_convert() -> None:
    assert textile.bending_length(1e-5, 0.15) == pytest.approx(0.018942, abs=1e-6)
    assert textile.bending_stiffness(textile.bending_length(3e-5, 0.2), 0.2) == pytest.approx(3e-5)
