import pytest

from mlrx.datasets import read_arff


def test_meka_header_counts_from_either_end(write):
    # C1
    first = write(
        "@relation 'Toy: -C 2'\n@attribute L1 {0,1}\n@attribute L2 {0,1}\n@attribute f1 numeric\n@data\n1,0,9\n"
    )
    a = read_arff(first)
    last = write(
        "@relation 'Toy: -C -2'\n@attribute f1 numeric\n@attribute L1 {0,1}\n@attribute L2 {0,1}\n@data\n9,1,0\n"
    )
    b = read_arff(last)
    for data in (a, b):
        assert data.X.to_numpy().tolist() == [[9]]
        assert data.Y.tolist() == [[1, 0]]
        assert data.feature_names == ("f1",)
        assert data.label_names == ("L1", "L2")


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ("toy", "has no '-C' that tells the labels; give labels="),
        ("'toy: -C 4'", "'-C 4' in its relation, but 3 attributes"),
        ("'toy: -C 0'", "'-C 0' in its relation"),
        # Mulan's medical.arff: -C 45 was written before a filter moved the labels to the end.
        ("'M: -C 2-weka.filters.unsupervised.attribute.Remove-R1-2'", "a filter changed the attributes after '-C'"),
    ],
)
def test_header_that_does_not_tell_the_labels_is_refused(write, relation, message):
    path = write(
        f"@relation {relation}\n@attribute a {{0,1}}\n@attribute b {{0,1}}\n@attribute c {{0,1}}\n@data\n1,0,1\n"
    )
    with pytest.raises(ValueError, match=message):
        read_arff(path)


C3 = """@relation toy
@attribute f1 numeric
@attribute L2 {0,1}
@attribute f2 numeric
@attribute L1 {0,1}
@data
1.5,1,7,0
"""


def test_labels_follow_the_order_of_the_file(write):
    # C3
    xml = write('<labels><label name="L1"/><label name="L2"/></labels>', "toy.xml")
    for labels in (xml, str(xml), ["L1", "L2"]):
        data = read_arff(write(C3), labels)
        assert data.X.to_numpy().tolist() == [[1.5, 7]]
        assert data.feature_names == ("f1", "f2")
        assert data.label_names == ("L2", "L1")
        assert data.Y.tolist() == [[1, 0]]


def test_absent_label_is_named(write):
    # C3
    xml = write('<labels><label name="L1"/><label name="L9"/></labels>', "toy.xml")
    with pytest.raises(
        ValueError, match=r"toy.xml names labels that are absent from .*toy.arff: 'L9'; it has 'f1', 'L2', 'f2', 'L1'$"
    ):
        read_arff(write(C3), xml)


def test_escapes_byte_order_mark_and_no_namespace(write):
    # C6
    text = "\ufeff<labels><label name=\"R&amp;D\"> </label><label name='it&apos;s'></label></labels>"
    arff = write(
        "@relation t\n@attribute 'R&D' {0,1}\n@attribute 'it\\'s' {0,1}\n@attribute f1 numeric\n@data\n1,0,5\n"
    )
    data = read_arff(arff, write(text, "toy.xml"))
    assert data.label_names == ("R&D", "it's")
    assert data.Y.tolist() == [[1, 0]]


def test_namespace_and_nested_labels(write):
    nested = '<m:label name="L1"><m:label name="L2"/></m:label>'
    text = f'<m:labels xmlns:m="http://mulan.sourceforge.net/labels">{nested}</m:labels>'
    assert read_arff(write(C3), write(text, "toy.xml")).label_names == ("L2", "L1")


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ('<labels><label name="L1"/><label name="L1"/></labels>', "'L1' more than once"),
        ("<labels>\n<label/></labels>", "line 2: a label without a name"),
        ("<labels></labels>", "names no label"),
        ("<labels>\n<label", "line 2: not well-formed XML"),
        (
            '<!DOCTYPE labels [\n<!ENTITY x SYSTEM "file:///etc/hosts">]><labels><label name="L1">&x;</label></labels>',
            "line 2: it declares the entity 'x', which is not resolved",
        ),
        # Behind an external DTD an undeclared entity vanished: 'L&x;1' was read as 'L1'.
        (
            '<!DOCTYPE labels SYSTEM "labels.dtd">\n<labels><label name="L&x;1"/></labels>',
            "line 1: it refers to the external DTD 'labels.dtd', which is not resolved",
        ),
        (
            '<!DOCTYPE labels [\n%x;]><labels><label name="L&x;1"/></labels>',
            "line 2: it uses a parameter entity, which is not resolved",
        ),
    ],
)
def test_faults_of_the_xml_file_are_named(write, xml, message):
    with pytest.raises(ValueError, match=message):
        read_arff(write(C3), write(xml, "toy.xml"))


def test_other_ways_to_name_labels(write):
    path = write(C3)
    assert read_arff(path, 1).label_names == ("L1",)
    with pytest.raises(ValueError, match=r"labels=5: .* has 4 columns; give 1 to 4"):
        read_arff(path, 5)
    with pytest.raises(ValueError, match="'L1' more than once"):
        read_arff(path, ["L1", "L1"])
    assert read_arff(path, []).feature_names == ("f1", "L2", "f2", "L1")
    assert read_arff(path, []).Y.shape == (1, 0)
    for wrong in ("L1", True, 1.0):
        with pytest.raises(TypeError, match="labels="):
            read_arff(path, wrong)
