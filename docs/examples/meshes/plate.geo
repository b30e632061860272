// A plate with a hole, finer around it: gmsh -2 -format msh41 plate.geo (gmsh 4.8).
Point(1) = {0, 0, 0, 0.5}; Point(2) = {6, 0, 0, 0.5}; Point(3) = {6, 4, 0, 0.5}; Point(4) = {0, 4, 0, 0.5};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Point(5) = {2, 2, 0, 0.12}; Point(6) = {2.8, 2, 0, 0.12}; Point(7) = {2, 2.8, 0, 0.12};
Point(8) = {1.2, 2, 0, 0.12}; Point(9) = {2, 1.2, 0, 0.12};
Circle(5) = {6, 5, 7}; Circle(6) = {7, 5, 8}; Circle(7) = {8, 5, 9}; Circle(8) = {9, 5, 6};
Curve Loop(1) = {1, 2, 3, 4}; Curve Loop(2) = {5, 6, 7, 8};
Plane Surface(1) = {1, 2};
