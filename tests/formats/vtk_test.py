import unittest
import xml.etree.ElementTree as ElementTree

import numpy

from recorded import RecordedTest

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError:
    vtk_to_numpy = None


@unittest.skipIf(vtk_to_numpy is None, "python3-vtk9 is not installed")
class Vtk(RecordedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.talus("export", "shapes.h5", "--format", "vtk", "--every", "4", "-o", "out.pvd")
        cls.entries = [entry.attrib for entry in ElementTree.parse(cls.folder / "out.pvd").getroot().iter("DataSet")]

    def read(self, block, index):
        files = [entry["file"] for entry in self.entries if entry["name"] == block]
        reader = vtkXMLPolyDataReader()
        reader.SetFileName(str(self.folder / files[index]))
        reader.Update()
        self.assertEqual(reader.GetErrorCode(), 0)
        return reader.GetOutput()

    # The collection names a file of each block for every fourth frame and the last, with its time.
    def test_collection(self):
        times = [float(entry["timestep"]) for entry in self.entries if entry["name"] == "bodies"]
        numpy.testing.assert_array_equal(times, self.record["frames/time"][[0, 4, 8, 10]])
        self.assertEqual({entry["name"] for entry in self.entries}, {"bodies", "contacts", "surfaces"})

    # Bodies are points at their centres of mass, with the recorded numbers.
    def test_bodies(self):
        data = self.read("bodies", 1)
        numpy.testing.assert_array_equal(vtk_to_numpy(data.GetPoints().GetData()), self.record["poses/position"][4])
        for name, path in (("velocity", "velocities/linear"), ("angular_velocity", "velocities/angular"),
                           ("orientation", "poses/orientation")):
            numpy.testing.assert_array_equal(vtk_to_numpy(data.GetPointData().GetArray(name)), self.record[path][4])
        radius = vtk_to_numpy(data.GetPointData().GetArray("radius"))
        self.assertEqual(radius[self.names.index("sphere")], 0.2)
        self.assertAlmostEqual(radius[self.names.index("box")], numpy.linalg.norm([0.2, 0.15, 0.1]))
        for name in ("floor", "hall", "tube"):  # whose matter has no end
            self.assertEqual(radius[self.names.index(name)], 0)
        self.assertEqual(data.GetNumberOfVerts(), len(self.names))

    # Contacts have the forces of their step: those on the box carry its weight, upwards.
    def test_contacts(self):
        data = self.read("contacts", 3)
        rows = slice(*self.record["contacts/offset"][10:12])
        numpy.testing.assert_array_equal(vtk_to_numpy(data.GetPoints().GetData()), self.record["contacts/position"][rows])
        arrays = data.GetPointData()
        on_box = vtk_to_numpy(arrays.GetArray("body_b")) == self.names.index("box")
        force = vtk_to_numpy(arrays.GetArray("force"))[on_box].sum(axis=0)
        numpy.testing.assert_allclose(force, [0, 0, 9.81], atol=1e-4)

    # Surfaces are closed, face outwards, stand where the body is, and have its volume.
    def test_surfaces(self):
        data = self.read("surfaces", 3)
        body = vtk_to_numpy(data.GetCellData().GetArray("body"))
        points = vtk_to_numpy(data.GetPoints().GetData())
        corners = points[vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)]
        volumes = {"box": 0.4 * 0.3 * 0.2, "hull": 0.4 ** 3 / 6,
                   "capsule": numpy.pi * 0.1 ** 2 * (0.4 + 4 / 3 * 0.1), "post": numpy.pi * 0.05 ** 2}
        for name, expected in volumes.items():
            p, q, r = corners[body == self.names.index(name)].transpose(1, 0, 2)
            parts = numpy.einsum("ij,ij->i", p, numpy.cross(q, r)) / 6
            volume, centre = parts.sum(), ((p + q + r) / 4 * parts[:, None]).sum(axis=0)
            # Circles of 24 corners lose up to 3 % of the volume.
            self.assertTrue(0.96 * expected < volume < 1.0001 * expected, f"{name}: {volume}, not {expected}")
            position = self.record["poses/position"][10][self.names.index(name)]
            numpy.testing.assert_allclose(centre / volume, position, atol=1e-6)
        self.assertNotIn(self.names.index("sphere"), body)
        self.assertEqual({self.names[i] for i in numpy.unique(body)}, set(self.names) - {"sphere"})

    # A pipe is the wall around its cavity: a closed one has its volume, seen from inside; an open one has no ends.
    def test_pipes(self):
        data = self.read("surfaces", 0)
        body = vtk_to_numpy(data.GetCellData().GetArray("body"))
        points = vtk_to_numpy(data.GetPoints().GetData())
        corners = points[vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)]
        p, q, r = corners[body == self.names.index("hall")].transpose(1, 0, 2)
        volume, cavity = numpy.einsum("ij,ij->i", p, numpy.cross(q, r)).sum() / 6, numpy.pi * 20 ** 2 * 30
        self.assertTrue(-1.0001 * cavity < volume < -0.96 * cavity)
        wall = corners[body == self.names.index("tube")] - [-2, 0, 1]
        numpy.testing.assert_allclose(abs(wall[..., 0]), 0.25, atol=1e-9)
        numpy.testing.assert_allclose(numpy.hypot(wall[..., 1], wall[..., 2]), 0.3, atol=1e-9)
        across = numpy.cross(wall[:, 1] - wall[:, 0], wall[:, 2] - wall[:, 0])
        numpy.testing.assert_allclose(across[:, 0], 0, atol=1e-9)
        self.assertTrue((numpy.einsum("ij,ij->i", across, wall[:, 0]) < 0).all())


if __name__ == "__main__":
    unittest.main()
